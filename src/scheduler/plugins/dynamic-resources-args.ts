import { parseDuration } from '../../base/index.ts';

export interface DynamicResourcesArgs {
  /** How long finding devices on one node may take. */
  readonly filterTimeoutMs: number;
  /** How long drivers have to prepare devices before others are tried. */
  readonly bindingTimeoutMs: number;
}

const FILTER_TIMEOUT = '10s';
const BINDING_TIMEOUT = '10m';
const LEAST_BINDING_TIMEOUT_MS = 1000;

/** Reads what a profile says for DynamicResources, in the form of DynamicResourcesArgs. */
export function readDynamicResourcesArgs(args: unknown): DynamicResourcesArgs {
  const { filterTimeout = FILTER_TIMEOUT, bindingTimeout = BINDING_TIMEOUT } = (args ?? {}) as {
    filterTimeout?: string;
    bindingTimeout?: string;
  };
  const filterTimeoutMs = parseDuration(filterTimeout);
  const bindingTimeoutMs = parseDuration(bindingTimeout);
  const refuse = (what: string): never => {
    throw new Error(`Cannot set up DynamicResources: ${what}`);
  };
  if (filterTimeoutMs < 0) refuse(`filterTimeout must be zero or positive, got "${filterTimeout}"`);
  if (bindingTimeoutMs < LEAST_BINDING_TIMEOUT_MS)
    refuse(`bindingTimeout must be at least one second, got "${bindingTimeout}"`);
  return { filterTimeoutMs, bindingTimeoutMs };
}
