const TOKEN = /eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g;

/** The text with every signed token written out: what it says, with its times counted from when it was issued. */
export function withTokensDescribed(text: string): string {
  return text.replaceAll(TOKEN, (token) => {
    const [header, claims] = token.split('.').map(read);
    if (header === undefined || claims === undefined) return token;
    const issued = Number(claims['iat']);
    const counted = (value: unknown): unknown => (typeof value === 'number' ? `+${value - issued}` : value);
    const described = JSON.stringify({ header: { ...header, kid: '<key>' }, claims }, (_, value: unknown) =>
      counted(value),
    );
    return `<token ${described}>`;
  });
}

function read(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
