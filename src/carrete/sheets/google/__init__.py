"""The Google Sheets API as the lane uses it.

client         the calls, each sent exactly once          pace           how often a request may be sent
account        the service account and its tokens         errors         what Google's answers mean
cell_requests  requests that write cells                  ranges         which answer belongs to which range
formulas       tells formulas from text that looks like one
"""
