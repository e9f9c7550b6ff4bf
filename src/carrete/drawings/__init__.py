"""Drawings of spools: an uploaded picture or page of a PDF becomes one plain picture.

picture    which kind of file it is, and the picture of it    png        a PNG without anything but its picture
pdf_page   a page of a PDF as a picture, by a child process   pdf_child  that process
refusals   why a file is not taken
"""
