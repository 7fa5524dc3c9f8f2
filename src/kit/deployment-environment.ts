import type { AppRunOptions } from './app/app-options.ts';

/** The environment of a process, as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables by which a Deployment tells an app how it is deployed; `keelson manifests` sets them. */
export const DEPLOYMENT_VARIABLES = {
  healthPort: 'KEELSON_HEALTH_PORT',
  leaderElection: 'KEELSON_LEADER_ELECTION',
  install: 'KEELSON_INSTALL',
  service: 'KEELSON_SERVICE',
  webhookPort: 'KEELSON_WEBHOOK_PORT',
  apiPort: 'KEELSON_API_PORT',
} as const;

export type DeploymentOptions = Pick<AppRunOptions, 'health' | 'leaderElection' | 'install' | 'service'>;

const MAX_PORT = 65_535;

/**
 * What the environment says of how an app is deployed. It comes before what the app says itself, so that the same program runs
 * on a desk and in a cluster.
 */
export function deploymentOptions(environment: Environment): DeploymentOptions {
  const port = portOf(environment, DEPLOYMENT_VARIABLES.healthPort);
  const leaderElection = claimOf(environment, DEPLOYMENT_VARIABLES.leaderElection);
  const install = claimOf(environment, DEPLOYMENT_VARIABLES.install);
  return {
    ...(port === undefined ? {} : { health: { host: ANY_ADDRESS, port } }),
    ...(leaderElection === undefined ? {} : { leaderElection }),
    ...(install === undefined ? {} : { install }),
    ...serviceOf(environment),
  };
}

/** Where webhooks and APIs are served unless the environment says otherwise. */
const WEBHOOK_PORT = 8443;
const API_PORT = 8444;

/** All addresses, of IPv6 where there is such. */
const ANY_ADDRESS = '';

function serviceOf(environment: Environment): Pick<DeploymentOptions, 'service'> {
  const { service: variable, webhookPort, apiPort } = DEPLOYMENT_VARIABLES;
  const text = environment[variable];
  if (text === undefined || text === '') return {};
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (namespace === '' || name === '' || rest.length > 0)
    throw new Error(`Cannot read ${variable}: it must be NAMESPACE/NAME, got "${text}"`);
  const ports = {
    webhookPort: portOf(environment, webhookPort) ?? WEBHOOK_PORT,
    apiPort: portOf(environment, apiPort) ?? API_PORT,
  };
  return { service: { namespace, name, ...ports } };
}

function portOf(environment: Environment, name: string): number | undefined {
  const text = environment[name];
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= MAX_PORT) return port;
  throw new Error(`Cannot read ${name}: it must be a port, got "${text}"`);
}

function claimOf(environment: Environment, name: string): boolean | undefined {
  const text = environment[name];
  if (text === undefined || text === '') return undefined;
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error(`Cannot read ${name}: it must be true or false, got "${text}"`);
}
