// Sentences about handing a spool over to another worker.
export const esHandOver = {
  relevo: {
    give: "Entregar a…",
    title: "Entregar {{tag}}",
    lead: "Un toque en el nombre lo ofrece. Sigue siendo suyo hasta que lo acepten.",
    to: "¿A quién?",
    to_anybody: "A quien corresponda",
    anybody: "quien corresponda",
    nobody: "Nadie más puede recibirlo.",
    joints: "Uniones que usted hizo",
    joints_why: "Quedan registradas a su nombre antes de entregar.",
    offered_to: "Ofrecido a {{to}}. Sigue siendo suyo hasta que lo acepten.",
    withdraw: "Retirar",
    received: "se lo entrega {{from}} ({{operation}}).",
    more_one: "Hay {{count}} más.",
    more_other: "Hay {{count}} más.",
    accept: "Aceptar",
    decline: "Rechazar",
    later: "Ahora no",
  },
};
