import type { NamedMechanism } from '../../protocol.ts';
import { Figures } from './step-figures.tsx';

export function MechanismsPart({
  title,
  mechanisms,
}: {
  readonly title: string;
  readonly mechanisms: readonly NamedMechanism[] | undefined;
}) {
  if (mechanisms === undefined) return null;
  return (
    <section class="card">
      <h2>{title}</h2>
      <ol class="numbered">
        {mechanisms.map(({ name, detail, seen }) => (
          <li key={name}>
            <span>
              <strong>{name}</strong> {detail === undefined ? null : <small class="wrap">{detail}</small>}
            </span>
            {seen === undefined ? null : <Figures seen={seen} />}
          </li>
        ))}
      </ol>
    </section>
  );
}
