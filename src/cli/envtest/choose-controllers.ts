/**
 * Chooses as `--controllers` of kube-controller-manager does: `*` or `all` stands for all, `name` for one of them,
 * `-name` for leaving one out; without `*`, only those that are named.
 *
 * Example: `*,-node-lifecycle-controller`, or `garbage-collector,namespace`.
 */
export function chooseControllers<Controller extends { readonly name: string }>(
  text: string,
  controllers: readonly Controller[],
): readonly Controller[] {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const names = words.filter((word) => !isAll(word)).map((word) => ({ word, name: wordName(word.replace(/^-/, '')) }));
  const unknown = names.find(({ name }) => !controllers.some((controller) => wordName(controller.name) === name));
  if (unknown !== undefined) {
    const known = controllers.map(({ name }) => name).join(', ');
    throw new Error(`There is no controller "${unknown.word.replace(/^-/, '')}": choose of ${known}`);
  }
  const [without, wanted] = [true, false].map(
    (isLeftOut) => new Set(names.filter(({ word }) => word.startsWith('-') === isLeftOut).map(({ name }) => name)),
  );
  const hasAll = words.some(isAll);
  return controllers.filter((controller) => {
    const name = wordName(controller.name);
    return (hasAll || wanted?.has(name) === true) && without?.has(name) !== true;
  });
}

function isAll(word: string): boolean {
  return word === '*' || word === 'all';
}

/** The name without the differences of its spellings: `endpoints-controller` and `endpoint` are the same. */
function wordName(name: string): string {
  const short = name.replace(/-controller$/, '').replace('certificatesigningrequest', 'csr');
  return short.replaceAll('-', '').replace(/s$/, '');
}
