import type { NamedTest } from './public-suite.ts';

/** A test with what is wrong with our answer. */
export interface FailedTest extends NamedTest {
  readonly complaint: string;
}

/** Tests of the public suite that do not pass, and why they need not. */
interface Exclusion {
  readonly reason: string;
  covers(failed: FailedTest): boolean;
}

const byName =
  (pattern: RegExp) =>
  ({ name }: FailedTest): boolean =>
    pattern.test(name);

/** Kubernetes has a rule against these; without it the tests must pass. */
export const MIXED_TYPES = 'lists and maps of mixed types are refused when they are written as literals';

/** In the order in which they are tried. */
export const exclusions: readonly Exclusion[] = [
  {
    reason: 'the math library is not enabled',
    covers: byName(/^math_ext\//),
  },
  {
    reason: 'the encoders library is not enabled',
    covers: byName(/^encoders_ext\//),
  },
  {
    reason: 'the bindings library (cel.bind) is not enabled',
    covers: byName(/^bindings_ext\//),
  },
  {
    reason: 'cel.block and cel.index are made by optimizers, not written by users',
    covers: byName(/^block_ext\//),
  },
  {
    reason: 'there are no protobuf messages besides the ones that come with protobuf, and no extensions or enums',
    covers: ({ test }) =>
      /\b(?:Nested)?TestAllTypes\b|\b(?:Global|Nested)Enum\b|\bproto[23]\./.test(
        `${test.expr} ${JSON.stringify(test)}`,
      ),
  },
  {
    reason: 'expressions have no container: names are written in full',
    covers: ({ test }) => test.container !== undefined,
  },
  {
    reason: 'quoted field names are not enabled; Kubernetes escapes names with underscores instead',
    covers: ({ test }) => test.expr.includes('.`'),
  },
  {
    reason: 'types are always checked, and the expression does not pass',
    covers: ({ test }) => test.disableCheck === true,
  },
  {
    reason: 'cel-go, which Kubernetes uses, takes the type of the last element that fits',
    covers: byName(/null_assignable_to_abstract_parameter_candidate$/),
  },
  {
    reason: MIXED_TYPES,
    covers: ({ complaint }) => /^ERROR: .*: expected type '.*' but found '.*'$/m.test(complaint),
  },
  {
    reason: 'the strings library is version 2, which formats floating-point numbers and collections in its own way',
    covers: byName(/^string_ext\/format\//),
  },
  {
    reason: 'the strings library is version 2, which finds nothing behind the end instead of failing',
    covers: byName(/^string_ext\/value_errors\/(?:last)?indexof_out_of_range$/),
  },
  {
    reason: 'cel-go, which Kubernetes uses, counts the milliseconds of the whole duration',
    covers: byName(/duration_converters\/get_milliseconds$/),
  },
  {
    reason: 'cel-go, which Kubernetes uses, takes the last of several equal keys',
    covers: byName(/map_value_repeat_key$/),
  },
  {
    reason: 'cel-go, which Kubernetes uses, refuses a constant that can be no key before evaluation',
    covers: byName(/map_bad_key_type_(?:or_true|and_false)$/),
  },
  {
    reason: 'cel-go 0.26, which Kubernetes uses, finds nothing in an optional value that has no fields',
    covers: byName(/^optionals\/optionals\/map_(?:null_entry_no_such_key|present_key_invalid_field)$/),
  },
];
