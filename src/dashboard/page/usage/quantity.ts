const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The number that a quantity of Kubernetes stands for, such as `250m` or `64Mi`; undefined if it is none. */
export function numberOf(quantity: unknown): number | undefined {
  const [, digits = '', suffix = ''] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([A-Za-z]{0,2})$/.exec(String(quantity)) ?? [];
  const factor = FACTORS[suffix];
  const number = Number(digits);
  return digits === '' || factor === undefined || Number.isNaN(number) ? undefined : number * factor;
}

/** Processors as kubectl writes them: `1m`, `250m`, `1.5`. */
export function formatCpu(cores: number): string {
  return cores < 1 ? `${Math.ceil(cores * 1000)}m` : String(Math.round(cores * 100) / 100);
}

/** Bytes with three digits at most: `8 MiB`, `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ${units[unit]}`;
}
