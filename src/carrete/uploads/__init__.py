"""Workbooks that people upload in the browser: received in pieces, previewed, applied, and deleted after a day.

upload    one upload and its state            folder   the files in CARRETE_DATA/uploads, shared by all processes
refusals  why an upload is refused            work     reads one upload, or applies it
worker    the thread that does this work      report   what was done, as CSV

The state is in files, so that every process of this machine sees it. One process at a time works; when it is killed,
another one, or the next start, takes the work up again."""

from carrete.uploads.folder import UploadFolder
from carrete.uploads.upload import Upload, UploadState
from carrete.uploads.worker import UploadWorker

__all__ = ["Upload", "UploadFolder", "UploadState", "UploadWorker"]
