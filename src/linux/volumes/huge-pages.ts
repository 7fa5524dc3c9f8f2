import { amountsOf, type ResourceAmounts } from '../../api/meaning/index.ts';
import type { Observed, Pod } from '../../client/index.ts';

const RESOURCE = 'hugepages-';
const MEDIUM = 'HugePages-';

/** The mount option with the page size of a volume in huge pages; throws when the pod requests no such pages. */
export function hugePageOption(medium: string, { spec }: Observed<Pod>): string {
  const wanted = medium.startsWith(MEDIUM) ? sizeOf(medium.slice(MEDIUM.length)) : undefined;
  const lists = [
    spec?.resources,
    ...[...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map((each) => each.resources),
  ];
  const names = lists.flatMap((resources) => Object.keys(resources?.requests ?? {}));
  const requested = names
    .filter((name) => name.startsWith(RESOURCE))
    .map((name) => sizeOf(name.slice(RESOURCE.length)));
  if (wanted === undefined && requested.some((size) => size.compare(requested[0] ?? size) !== 0))
    throw new Error(`medium: ${medium} can't be used if container requests multiple huge page sizes`);
  const size = requested.find((each) => wanted === undefined || each.compare(wanted) === 0);
  if (size === undefined)
    throw new Error(`medium ${medium}: hugePages storage requested, but there is no resource request for huge pages`);
  return `pagesize=${size.toString()}`;
}

type Size = NonNullable<ReturnType<ResourceAmounts['get']>>;

function sizeOf(text: string): Size {
  const size = amountsOf({ size: text }).get('size');
  if (size === undefined) throw new Error(`${JSON.stringify(text)} is not the size of a huge page`);
  return size;
}
