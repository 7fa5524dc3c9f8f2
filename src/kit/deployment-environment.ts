import type { ProgramRunOptions } from './app/app-options.ts';
import { podAddress } from './pod-address.ts';

/** The environment of a process, as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables by which a Deployment configures an app; `keelson manifests` sets them. */
export const DEPLOYMENT_VARIABLES = {
  healthPort: 'KEELSON_HEALTH_PORT',
  leaderElection: 'KEELSON_LEADER_ELECTION',
  install: 'KEELSON_INSTALL',
  service: 'KEELSON_SERVICE',
  serverPort: 'KEELSON_SERVER_PORT',
} as const;

export type DeploymentOptions = Pick<ProgramRunOptions, 'health' | 'leaderElection' | 'install' | 'service'>;

const MAX_PORT = 65_535;

/**
 * The options that the environment sets. They override the app's own, so that the same program runs on a desk and in a
 * cluster.
 */
export function deploymentOptions(environment: Environment): DeploymentOptions {
  const { healthPort, leaderElection: elects, install: installs } = DEPLOYMENT_VARIABLES;
  const port = portOf(environment, healthPort);
  const leaderElection = claimOf(environment, elects);
  const install = claimOf(environment, installs);
  return {
    ...(port === undefined ? {} : { health: { host: podAddress(environment), port } }),
    ...(leaderElection === undefined ? {} : { leaderElection }),
    ...(install === undefined ? {} : { install }),
    ...serviceOf(environment),
  };
}

/** The default port of the app's server. */
const SERVER_PORT = 8443;

function serviceOf(environment: Environment): Pick<DeploymentOptions, 'service'> {
  const { service: variable, serverPort } = DEPLOYMENT_VARIABLES;
  const parts = read(environment, variable, 'NAMESPACE/NAME', (text) => /^([^/]+)\/([^/]+)$/.exec(text) ?? undefined);
  if (parts === undefined) return {};
  const [, namespace = '', name = ''] = parts;
  return { service: { namespace, name, port: portOf(environment, serverPort) ?? SERVER_PORT } };
}

function portOf(environment: Environment, variable: string): number | undefined {
  return read(environment, variable, 'a port', (text) =>
    /^\d+$/.test(text) && Number(text) <= MAX_PORT ? Number(text) : undefined,
  );
}

function claimOf(environment: Environment, variable: string): boolean | undefined {
  return read(
    environment,
    variable,
    'true or false',
    (text) => text === 'true' || (text === 'false' ? false : undefined),
  );
}

/** The parsed value of a variable, if it is set; throws if `parse` does not accept it. */
function read<T>(
  environment: Environment,
  variable: string,
  form: string,
  parse: (text: string) => T | undefined,
): T | undefined {
  const text = environment[variable] ?? '';
  if (text === '') return undefined;
  const value = parse(text);
  if (value === undefined) throw new Error(`Cannot read ${variable}: it must be ${form}, got "${text}"`);
  return value;
}
