import type { FieldError } from '../../api/index.ts';
import type { Container, PodSpec } from '../../api/types/core/v1.d.ts';

/** Visits all containers of a pod with their paths, in upstream's order. */
export function eachContainer(
  { initContainers = [], containers, ephemeralContainers = [] }: PodSpec,
  field: string,
  visit: (container: Container, path: string) => readonly FieldError[],
): FieldError[] {
  const lists = { initContainers, containers: containers ?? [], ephemeralContainers };
  return Object.entries(lists).flatMap(([name, list]) =>
    (list as readonly Container[]).flatMap((container, index) => visit(container, `${field}.${name}[${index}]`)),
  );
}
