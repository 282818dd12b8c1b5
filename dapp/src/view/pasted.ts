/** The attributes of a field into which a link or an address is pasted: the browser changes nothing in it. */
export const pasted = {
  class: "mono",
  autocomplete: "off",
  autocapitalize: "off",
  spellcheck: false,
  maxLength: 600,
} as const;
