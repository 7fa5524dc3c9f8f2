import type { ResourceRequest } from '../resource-request.ts';
import type { FaultTarget } from './fault.ts';

/** The sender of a request. */
export interface Sender {
  readonly user: string;
  readonly program: string;
}

/** Whether a fault's target matches a request. */
export function isAbout(target: FaultTarget, sender: Sender, request: ResourceRequest): boolean {
  const { user, program, verb, resource, namespace, name } = target;
  if (user !== undefined && !(typeof user === 'string' ? user === sender.user : user.test(sender.user))) return false;
  if (program !== undefined && program !== sender.program) return false;
  if (verb !== undefined && !(typeof verb === 'string' ? [verb] : verb).includes(request.verb)) return false;
  if (resource !== undefined && !isResource(resource, request)) return false;
  if (namespace !== undefined && namespace !== request.namespace) return false;
  return name === undefined || name === request.name;
}

function isResource(wanted: string, { resource, group, subresource }: ResourceRequest): boolean {
  const [whole = '', sub] = wanted.split('/', 2);
  if (sub !== undefined && sub !== subresource) return false;
  const dot = whole.indexOf('.');
  return dot < 0 ? whole === resource : whole.slice(0, dot) === resource && whole.slice(dot + 1) === group;
}
