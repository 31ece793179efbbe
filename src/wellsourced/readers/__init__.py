"""Bytes → Documents: a module or a folder for each file format; `registry` says which reader reads which file. A
reader opens no connection and judges nothing; text that is only cleaned or split belongs to text/."""
