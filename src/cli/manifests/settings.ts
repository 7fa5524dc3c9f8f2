import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { App } from '../../kit/index.ts';
import { UsageError } from '../command.ts';
import type { Flags } from '../flags.ts';

/** How an app is deployed. */
export interface DeploymentSettings {
  /** The name of the Deployment, its service account, its roles and its Service. */
  readonly name: string;
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  /** The version of the project. */
  readonly version: string;
  readonly description: string;
  /** What `node` is started with in the image: `dist/main.js`. */
  readonly entry: readonly string[];
}

/** A DNS label, as the API server requires. */
const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** The settings from flags and the project's package.json. */
export function deploymentSettings(file: string, app: Pick<App, 'name'>, flags: Flags): DeploymentSettings {
  const { folder, manifest } = projectOf(file);
  const name = flags.text('name') ?? app.name;
  if (!NAME.test(name))
    throw new UsageError(
      `"${name}" cannot name a Deployment: small letters, digits and "-"; --name gives another name`,
    );
  const namespace = flags.text('namespace') ?? `${name}-system`.slice(-63).replace(/^-+/, '');
  if (!NAME.test(namespace))
    throw new UsageError(`--namespace must be small letters, digits and "-", got "${namespace}"`);
  const { version = '0.0.0', description = `The ${name} operator`, scripts } = manifest;
  const start = /^node\s+([^&|;<>$`"']+)$/
    .exec(scripts?.['start'] ?? '')?.[1]
    ?.trim()
    .split(/\s+/);
  return {
    name,
    namespace,
    image: flags.text('image') ?? `${name}:${version}`,
    replicas: flags.integer('replicas', { min: 0, max: 100 }) ?? 1,
    version,
    description,
    entry: start ?? [relative(folder, resolve(file)).replaceAll('\\', '/')],
  };
}

interface PackageManifest {
  readonly version?: string;
  readonly description?: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** The project of a file: the nearest package.json. */
export function projectOf(file: string): { readonly folder: string; readonly manifest: PackageManifest } {
  const start = dirname(resolve(file));
  for (let folder = start; ; folder = dirname(folder)) {
    const path = join(folder, 'package.json');
    if (existsSync(path)) return { folder, manifest: readManifest(path) };
    if (dirname(folder) === folder) return { folder: start, manifest: {} };
  }
}

function readManifest(path: string): PackageManifest {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as PackageManifest;
  } catch (cause) {
    throw new Error(`Cannot read "${path}"`, { cause });
  }
}
