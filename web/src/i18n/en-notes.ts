// Sentences about notes and photos.
import type { esNotes } from "./es-notes";

export const enNotes: typeof esNotes = {
  notes: {
    open: "Notes: {{n}}",
    of: "Notes on {{tag}}",
    text: "Note",
    about: "About",
    whole_spool: "The whole spool",
    joint: "Joint {{n}}",
    take_photo: "Take a photo",
    choose_photo: "Choose a file",
    remove_photo: "Remove photo {{n}}",
    photo: "Photo {{n}}",
    photos_one: "{{count}} photo",
    photos_other: "{{count}} photos",
    save: "Save note",
    none: "Nobody has written a note yet.",
    more: "Show more",
    kept: "Note kept on this tablet: it is sent by itself with its photos.",
    too_many_photos: "Too many photos wait on this tablet. Go where there is a network, so that they are sent.",
    no_photo_now: "Photos need a connection here. Try again, or save the note without a photo.",
    reject_photo: "Photo of the defect",
    reject_why: "The shop asks for a photo of the defect. You can reject without one.",
    bad_file: {
      heic: "This is a HEIC photo, which this tablet cannot open. Choose JPEG in the camera (“most compatible”).",
      too_large: "The picture is too large. Take a photo with this tablet's camera.",
      unreadable: "It could not be opened as a photo. Choose a photo, or take it again.",
    },
  },
};
