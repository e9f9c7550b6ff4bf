"""Photos of notes: only plain JPEG, rewritten on entry.

jpeg   copies the parts of a JPEG that make its picture, and nothing else    refusals   why a file is not taken
"""
