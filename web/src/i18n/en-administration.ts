// The sentences of the administrator's page in English: its frame, people, devices, accesses, integrations.
export const enAdministration = {
  administration: {
    title: "Administration",
    intro: "Everything that the shop needs to run Carrete, without a terminal.",
    sections: "Sections",
    only_administrator: "This section is for administrators only.",
    not_allowed: "{{label}} is neither administrator nor supervisor",
    open_mode:
      "This server runs without identities (CARRETE_ACCESS=open): there is nothing to administer here. With “pin” or “device” this page offers everything.",
    personas: { title: "People", intro: "Who works here: roles, PIN, badge, joining and leaving." },
    dispositivos: { title: "Devices", intro: "The shop's tablets, boards and computers: enrol, name, revoke." },
    planilla: { title: "Workbook", intro: "Import and export spools with Excel, and the connection to Google." },
    ajustes: { title: "Settings", intro: "The shop: name, time zone, shifts, joints that are only fitted." },
    respaldo: { title: "Backup", intro: "The copies of each night, the keys, and what to do if the server dies." },
    integraciones: { title: "Integrations", intro: "Tokens for other systems, and whom to tell of a conflict." },
    accesos: { title: "Accesses", intro: "Who came in, who was refused, and what an administrator changed." },
    sistema: { title: "System", intro: "Whether all is well: checks, versions, sizes, certificate." },
  },
};
