"""`gammond store`: kept analyses, looked at, taken elsewhere, checked and searched deeper."""
