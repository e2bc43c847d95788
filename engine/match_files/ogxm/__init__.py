"""OGXM, the exchange format for analysed matches of OpenGammon and HedgeHog, by the package ogxm."""
