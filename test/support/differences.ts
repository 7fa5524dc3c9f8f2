/** One place where a real server and ours say different things. */
export interface Difference {
  readonly place: string;
  readonly real: unknown;
  readonly ours: unknown;
}

/** Every place in which two values differ; the order of members says nothing. */
export function differencesOf(real: unknown, ours: unknown, place = ''): Difference[] {
  if (Array.isArray(real) && Array.isArray(ours)) {
    const length = Math.max(real.length, ours.length);
    return Array.from({ length }, (_, index) => differencesOf(real[index], ours[index], `${place}[${index}]`)).flat();
  }
  if (isObject(real) && isObject(ours)) {
    const names = new Set([...Object.keys(real), ...Object.keys(ours)]);
    return [...names].flatMap((name) => differencesOf(real[name], ours[name], `${place}.${name}`));
  }
  return Object.is(real, ours) ? [] : [{ place, real, ours }];
}

const SHOWN_CHARACTERS = 300;

export function differenceText({ place, real, ours }: Difference): string {
  const text = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, SHOWN_CHARACTERS);
  return `${place}: real ${text(real)}, ours ${text(ours)}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
