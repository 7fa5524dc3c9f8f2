/** Writes a JSON value as YAML in block style, which is how the protobuf form carries values of any shape. */
export function yamlText(value: unknown): string {
  return typeof value === 'object' && value !== null && !isEmpty(value)
    ? `${block(value, '').join('\n')}\n`
    : `${scalar(value)}\n`;
}

function block(value: object, indent: string): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      if (typeof item !== 'object' || item === null || isEmpty(item)) return [`${indent}- ${scalar(item)}`];
      const [first = '', ...rest] = block(item, `${indent}  `);
      return [`${indent}- ${first.slice(indent.length + 2)}`, ...rest];
    });
  }
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) => {
    if (typeof item !== 'object' || item === null || isEmpty(item)) return [`${indent}${scalar(key)}: ${scalar(item)}`];
    return [`${indent}${scalar(key)}:`, ...block(item, `${indent}    `.slice(Array.isArray(item) ? 0 : 2))];
  });
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

/** Words that read as something else than a string. */
const reserved = /^(true|false|null|yes|no|on|off|y|n|~)$/i;

/**
 * Words stand bare. What would read as another type is quoted as in JSON, which YAML reads alike, and so is what cannot
 * be printed; other strings are in single quotes.
 */
function scalar(value: unknown): string {
  if (typeof value !== 'string' || value === '' || reserved.test(value) || /^[-+.]?\d/.test(value)) return JSON.stringify(value);
  if (/^[A-Za-z_][\w,./+-]*( [\w,./+-]+)*$/.test(value)) return value;
  return /^[ -~]+$/.test(value) ? `'${value.replaceAll("'", "''")}'` : JSON.stringify(value);
}
