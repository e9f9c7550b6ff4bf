"""The one page of the plain port: why and how a device comes to trust this server's certificate authority.

app      what the plain port answers      page       the page as HTML
guides   the form of its text             drawings   the pictures of its steps
spanish, english, words                   its text in both languages
"""
