"""`gammond frontier`: strength against speed."""
