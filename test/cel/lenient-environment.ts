import { Environment } from '../../src/cel/index.ts';
import { listsLibrary } from '../../src/cel/library/lists.ts';
import { optionalsLibrary } from '../../src/cel/library/optionals.ts';
import { wellKnownTypes } from '../../src/cel/library/protobuf/well-known.ts';
import { setsLibrary } from '../../src/cel/library/sets.ts';
import { standardLibrary } from '../../src/cel/library/standard/index.ts';
import { stringsLibrary } from '../../src/cel/library/strings.ts';
import { twoVariablesLibrary } from '../../src/cel/library/two-variables.ts';

/** The language and the libraries that others have as well, without the rules that Kubernetes adds. */
export function lenientEnvironment(): Environment {
  return new Environment({
    libraries: [
      standardLibrary(),
      optionalsLibrary(),
      stringsLibrary(2),
      setsLibrary(),
      twoVariablesLibrary(),
      listsLibrary(),
    ],
    types: [wellKnownTypes],
    hasOptionals: true,
    comparesNumberTypes: true,
  });
}
