import type { Container, Lifecycle, PodSpec } from '../../api/types/core/v1.d.ts';

/**
 * A spec without the fields whose feature is off by default in all versions: stop signals and scheduling groups. Fields that the old object
 * used may stay.
 */
export function withoutGatedFields(spec: PodSpec, old: PodSpec | undefined): PodSpec {
  let result = spec;
  if (usesStopSignals(spec) && !usesStopSignals(old)) result = withoutStopSignals(result);
  if (spec.schedulingGroup !== undefined && old?.schedulingGroup === undefined) {
    const { schedulingGroup: _, ...rest } = result;
    result = rest;
  }
  return result;
}

function usesStopSignals(spec: PodSpec | undefined): boolean {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return (
    containers.some(({ lifecycle }) => lifecycle?.stopSignal !== undefined) ||
    (spec?.ephemeralContainers ?? []).some(({ lifecycle }) => lifecycle?.stopSignal !== undefined)
  );
}

function withoutStopSignals(spec: PodSpec): PodSpec {
  const strip = <T extends { lifecycle?: Lifecycle }>(container: T): T => {
    if (container.lifecycle?.stopSignal === undefined) return container;
    const { stopSignal: _, ...lifecycle } = container.lifecycle;
    return { ...container, lifecycle: Object.keys(lifecycle).length === 0 ? undefined : lifecycle };
  };
  return {
    ...spec,
    containers: (spec.containers ?? []).map((container: Container) => strip(container)),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(strip) }),
    ...(spec.ephemeralContainers === undefined ? {} : { ephemeralContainers: spec.ephemeralContainers.map(strip) }),
  };
}
