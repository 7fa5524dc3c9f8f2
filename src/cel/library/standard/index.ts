import { standardMacros } from '../../syntax/index.ts';
import { LIST, MAP, NULL } from '../../type-terms/index.ts';
import type { Library } from '../library.ts';
import { arithmetic } from './arithmetic.ts';
import { conversions, standardTypes } from './conversions.ts';
import { logic } from './logic.ts';
import { text } from './text.ts';
import { time } from './time.ts';

/** The library that every environment includes. */
export function standardLibrary(): Library {
  return {
    functions: [...logic(), ...arithmetic(), ...text(), ...conversions(), ...time()],
    macros: standardMacros(),
    types: [...standardTypes, LIST, MAP, NULL],
  };
}
