/** The attributes of a field into which a link, an address or a name is pasted: the browser changes nothing in it. */
export const pasted = {
  class: "mono",
  autocomplete: "off",
  autocapitalize: "off",
  spellcheck: false,
  maxLength: 600,
  dir: "ltr",
} as const;
