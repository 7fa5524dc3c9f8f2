import { fieldErrorText, notSupported, StatusError } from '../../api/index.ts';
import type { Container, EphemeralContainer, PodSpec, Volume } from '../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/index.ts';
import { refusal, together } from './refusal.ts';
import { isPodWrite, podOf, setPodSpec } from './written-pod.ts';

const ALWAYS = 'Always';
const SORTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/**
 * Makes nodes pull every image with the pod's own credentials, so that a pod cannot use a private image that another pod
 * has pulled.
 */
export function alwaysPullImages(): AdmissionPlugin {
  return {
    name: 'AlwaysPullImages',
    handles: (target) => isPodWrite(target),
    mutate(request) {
      if (!hasNewImages(request)) return;
      setPodSpec(request, pullingAlways(podOf(request).spec));
    },
    validate(request) {
      if (!hasNewImages(request)) return;
      const problems = problemsOf(podOf(request).spec).map((why) => refusal(request, why).message);
      if (problems.length > 0) throw new StatusError({ code: 500, message: together(problems) }); // an untyped error upstream
    },
  };
}

/** A changed pod may keep its images, whatever their pull policy. */
function hasNewImages(request: AdmissionAttributes): boolean {
  if (request.operation !== 'UPDATE') return true;
  const known = new Set(imagesOf(podOf({ object: request.old }).spec));
  return imagesOf(podOf(request).spec).some((image) => !known.has(image));
}

function imagesOf(spec: PodSpec): (string | undefined)[] {
  return SORTS.flatMap((sort) => (spec[sort] ?? []).map(({ image }) => image));
}

function pullingAlways(spec: PodSpec): PodSpec {
  const { containers, initContainers, ephemeralContainers, volumes } = spec;
  return {
    ...spec,
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(always) }),
    containers: containers.map(always),
    ...(ephemeralContainers === undefined ? {} : { ephemeralContainers: ephemeralContainers.map(always) }),
    ...(volumes === undefined ? {} : { volumes: volumes.map(withPullPolicy) }),
  };
}

function always<T extends Container | EphemeralContainer>(container: T): T {
  return { ...container, imagePullPolicy: ALWAYS };
}

function withPullPolicy(volume: Volume): Volume {
  return volume.image === undefined ? volume : { ...volume, image: { ...volume.image, pullPolicy: ALWAYS } };
}

function problemsOf(spec: PodSpec): string[] {
  const ofContainers = SORTS.flatMap((sort) =>
    (spec[sort] ?? []).map(({ imagePullPolicy }, index) =>
      problem(`spec.${sort}[${index}].imagePullPolicy`, imagePullPolicy),
    ),
  );
  const ofVolumes = (spec.volumes ?? []).map(({ image }, index) =>
    image === undefined ? [] : problem(`spec.volumes[${index}].image.pullPolicy`, image.pullPolicy),
  );
  return [...ofContainers, ...ofVolumes].flat();
}

function problem(field: string, policy: string | undefined): string[] {
  return policy === ALWAYS ? [] : [fieldErrorText(notSupported(field, policy ?? '', [ALWAYS]))];
}
