// The sentences of the administrator's page in Spanish: its frame, people, devices, accesses, integrations.
export const esAdministration = {
  administration: {
    title: "Administración",
    intro: "Todo lo que el taller necesita para que Carrete funcione, sin terminal.",
    sections: "Secciones",
    only_administrator: "Esta sección es sólo para administradores.",
    not_allowed: "{{label}} no es administrador ni supervisor",
    open_mode:
      "Este servidor corre sin identidades (CARRETE_ACCESS=open): no hay nada que administrar aquí. Con «pin» o «device» esta página lo ofrece todo.",
    personas: { title: "Personas", intro: "Quién trabaja aquí: roles, PIN, credencial, altas y bajas." },
    dispositivos: { title: "Dispositivos", intro: "Los tablets, tableros y computadores del taller: inscribir, nombrar, revocar." },
    planilla: { title: "Planilla", intro: "Importar y exportar spools con Excel, y la conexión con Google." },
    ajustes: { title: "Ajustes", intro: "El taller: nombre, zona horaria, turnos, uniones que sólo se arman." },
    respaldo: { title: "Respaldo", intro: "Las copias de cada noche, las claves, y qué hacer si el servidor muere." },
    integraciones: { title: "Integraciones", intro: "Tokens para otros sistemas, y a quién avisar de un conflicto." },
    accesos: { title: "Accesos", intro: "Quién entró, quién fue rechazado, y qué cambió un administrador." },
    sistema: { title: "Sistema", intro: "Si todo está sano: revisión, versiones, tamaños, certificado." },
  },
};
