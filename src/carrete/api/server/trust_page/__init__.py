"""The one page of the plain port: why and how a device comes to trust this server's certificate authority.

app       what the plain port answers      page       the page as HTML
words     its text in both languages       drawings   the pictures of its steps
"""
