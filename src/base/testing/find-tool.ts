import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs that some tests need, some with an environment variable that overrides the one on the PATH. */
export const tools = {
  'chromium-headless-shell': 'CHROMIUM',
  curl: undefined,
  etcd: 'KEELSON_ETCD',
  helm: 'HELM',
  kubectl: 'KUBECTL',
  openssl: undefined,
  promtool: undefined,
  ip: undefined,
  nft: undefined,
  conntrack: undefined,
} as const;

export type Tool = keyof typeof tools;

/** The command of the program; `undefined` when it is not installed. */
export function findTool(tool: Tool): string | undefined {
  const variable = tools[tool];
  const given = variable === undefined ? '' : (process.env[variable] ?? '');
  if (given !== '') return given;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, tool)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // absent, or not executable for this user
  }
}
