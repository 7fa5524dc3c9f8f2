/** Writes a JSON value as block-style YAML, in which the protobuf form carries values of any shape. */
export function yamlText(value: unknown): string {
  return isBlock(value) ? `${block(value, 0).join('\n')}\n` : `${scalar(value)}\n`;
}

/** The lines of a list or an object that starts at column `indent`. */
function block(value: object, indent: number): string[] {
  const start = ' '.repeat(indent);
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      if (!isBlock(item)) return [`${start}- ${scalar(item)}`];
      const [first = '', ...rest] = block(item, indent + 2);
      return [`${start}- ${first.slice(indent + 2)}`, ...rest];
    });
  }
  const inner = (Math.floor(indent / 4) + 1) * 4;
  return Object.entries(value).flatMap(([key, item]: [string, unknown]) =>
    isBlock(item) ? [`${start}${scalar(key)}:`, ...block(item, inner)] : [`${start}${scalar(key)}: ${scalar(item)}`],
  );
}

function isBlock(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** Strings that would be read as another type. */
const readsOtherwise =
  /^(|true|True|TRUE|false|False|FALSE|null|Null|NULL|~|[-+]?\.?\d.*|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$/s;

/** Strings of printable characters that need no quotes. */
const standsBare =
  /^(?=[\u0020-\u007e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe]+$)(?!\.\.\.|.*(: |:$| #|\s$))[^\s?:,[\]{}#&*!|>'"%@`=<-]/;

/** Strings are written without quotes if possible. Others are quoted as in JSON, which is valid YAML. */
function scalar(value: unknown): string {
  if (typeof value !== 'string' || readsOtherwise.test(value)) return JSON.stringify(value);
  if (standsBare.test(value)) return value;
  return /^[ -~]+$/.test(value) ? `'${value.replaceAll("'", "''")}'` : JSON.stringify(value);
}
