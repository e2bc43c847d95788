"""`gammond measure cube`: cube efficiencies by class of position."""
