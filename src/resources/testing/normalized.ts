const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const UID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
const ADDRESS = /^10\.96\.\d+\.\d+$/;

/** An answer without values that differ between runs, in the form of the recordings; values that the client sent are kept. */
export function normalized(value: unknown, sent: string, within = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => normalized(item, sent));
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(
      ([name]) => within !== 'metadata' || (name !== 'managedFields' && name !== 'resourceVersion'),
    );
    return Object.fromEntries(members.map(([name, member]) => [name, normalized(member, sent, name)]));
  }
  if (typeof value !== 'string') return value;
  if (ADDRESS.test(value) && !sent.includes(value)) return '<ip>';
  if (TIME.test(value) && !sent.includes(value)) return '<time>';
  return value.replaceAll(UID, '<uid>');
}
