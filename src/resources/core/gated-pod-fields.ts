import type { Container, Lifecycle, PodSpec, Volume } from '../../api/types/core/v1.d.ts';

/**
 * A spec without the fields whose feature is off by default in 1.36: stop signals, certificate projections, scheduling
 * groups. Fields that the old object used may stay.
 */
export function withoutGatedFields(spec: PodSpec, old: PodSpec | undefined): PodSpec {
  let result = spec;
  if (usesStopSignals(spec) && !usesStopSignals(old)) result = withoutStopSignals(result);
  if (usesProjections(spec) && !usesProjections(old)) {
    result = { ...result, volumes: (result.volumes ?? []).map(withoutProjections) };
  }
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

function usesProjections(spec: PodSpec | undefined): boolean {
  return (spec?.volumes ?? []).some((volume) =>
    (volume.projected?.sources ?? []).some(
      (source) => source.clusterTrustBundle !== undefined || source.podCertificate !== undefined,
    ),
  );
}

function withoutProjections(volume: Volume): Volume {
  if (volume.projected === undefined) return volume;
  const given = volume.projected.sources ?? [];
  const sources = given.map(({ clusterTrustBundle: _1, podCertificate: _2, ...source }) => source);
  return { ...volume, projected: { ...volume.projected, sources } };
}
