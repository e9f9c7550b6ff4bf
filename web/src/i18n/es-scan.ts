// The sentences about scanning codes, in Spanish.
export const esScan = {
  scan: {
    open: "Escanear",
    title: "Muestre el código a la cámara",
    picture: "Imagen de la cámara",
    hint: "En el centro de la imagen: QR, Data Matrix o código de barras.",
    camera: {
      insecure: "El navegador da la cámara sólo a páginas https. Use un lector que teclea, o abra Carrete con https.",
      denied: "El navegador no deja usar la cámara. Permítala para esta página en el candado junto a la dirección.",
      missing: "Este equipo no tiene cámara. Use un lector que teclea, o busque en la lista.",
      busy: "La cámara no responde: puede que la use otro programa.",
      decoder: "No se pudo cargar lo que lee los códigos. Revise la conexión e intente de nuevo.",
    },
    unknown: "Este código no es de ningún spool",
    unasked: "Sin conexión: no se sabe de quién es este código",
    read: "Se leyó:",
    near: "Casi iguales; lo distinto va marcado:",
    instead: "se leyó",
    is_badge: "Es una credencial",
    sign_in_first: "Spool {{tag}}: diga quién es y se abre.",
  },
};
