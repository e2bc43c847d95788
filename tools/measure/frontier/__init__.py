"""`gammond measure frontier`: strength against speed."""
