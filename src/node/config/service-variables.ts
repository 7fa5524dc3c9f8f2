import type { Observed, Service } from '../../client/index.ts';
import type { EnvironmentVariable } from '../runtime/index.ts';

/** The service through which pods reach the API server. Every container gets its variables. */
const API_SERVICE = { namespace: 'default', name: 'kubernetes' };

export interface ServiceLister {
  /** The services of one namespace. */
  list(namespace: string): readonly Observed<Service>[];
}

/** Variables by name, and as the runtime takes them. */
export interface Environment {
  readonly byName: ReadonlyMap<string, string>;
  readonly list: readonly EnvironmentVariable[];
}

export function environment(byName: ReadonlyMap<string, string>): Environment {
  return { byName, list: Array.from(byName, ([key, value]) => ({ key, value })) };
}

/** The variables with the addresses of services, by namespace; cached until a service changes. */
export class ServiceVariables {
  readonly #services: ServiceLister;
  readonly #known = new Map<string, Environment>();

  constructor(services: ServiceLister) {
    this.#services = services;
  }

  /** Drops the cache: a service was added, changed or deleted. */
  serviceChanged(): void {
    this.#known.clear();
  }

  /** The variables for containers of a namespace; those of the API server only when service links are disabled. */
  variables(namespace: string, hasLinks: boolean): Environment {
    const key = `${namespace} ${hasLinks}`;
    const known = this.#known.get(key) ?? this.#make(namespace, hasLinks);
    this.#known.set(key, known);
    return known;
  }

  #make(namespace: string, hasLinks: boolean): Environment {
    const api = this.#services.list(API_SERVICE.namespace).filter(({ metadata }) => metadata.name === API_SERVICE.name);
    const services = new Map(
      [...api, ...(hasLinks ? this.#services.list(namespace) : [])].map((each) => [each.metadata.name, each]),
    );
    return environment(new Map([...services.values()].flatMap(variablesOf)));
  }
}

/** `WEB_SERVICE_HOST` and the like, and the variables of Docker links, for services with an address. */
function variablesOf({ metadata, spec }: Observed<Service>): readonly (readonly [string, string])[] {
  const { clusterIP = '', ports = [] } = spec ?? {};
  const [first] = ports;
  if (clusterIP === '' || clusterIP === 'None' || first === undefined) return [];
  const service = variableName(metadata.name);
  const host = clusterIP.includes(':') ? `[${clusterIP}]` : clusterIP;
  const named = ports.filter(({ name = '' }) => name !== '');
  return [
    [`${service}_SERVICE_HOST`, clusterIP],
    [`${service}_SERVICE_PORT`, String(first.port)],
    ...named.map(({ name = '', port }) => [`${service}_SERVICE_PORT_${variableName(name)}`, String(port)] as const),
    ...ports.flatMap(({ port, protocol = 'TCP' }, index) => {
      const url = `${protocol.toLowerCase()}://${host}:${port}`;
      const prefix = `${service}_PORT_${port}_${protocol.toUpperCase()}`;
      return [
        ...(index === 0 ? [[`${service}_PORT`, url] as const] : []),
        [prefix, url] as const,
        [`${prefix}_PROTO`, protocol.toLowerCase()] as const,
        [`${prefix}_PORT`, String(port)] as const,
        [`${prefix}_ADDR`, clusterIP] as const,
      ];
    }),
  ];
}

function variableName(name: string): string {
  return name.replaceAll('-', '_').toUpperCase();
}
