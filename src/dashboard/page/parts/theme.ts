import { signal } from '@preact/signals';

export type Theme = 'light' | 'dark' | 'system';

const STORED = 'keelson.theme';

/** The colours that the viewer has chosen; those of the system by default. */
export class ThemeChoice {
  readonly theme = signal<Theme>('system');

  constructor() {
    const stored = localStorage.getItem(STORED);
    this.choose(stored === 'light' || stored === 'dark' ? stored : 'system');
  }

  choose(theme: Theme): void {
    this.theme.value = theme;
    if (theme === 'system') {
      localStorage.removeItem(STORED);
      delete document.documentElement.dataset['theme'];
    } else {
      localStorage.setItem(STORED, theme);
      document.documentElement.dataset['theme'] = theme;
    }
  }

  next(): void {
    const isDark =
      document.documentElement.dataset['theme'] ??
      (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    this.choose(isDark === 'dark' ? 'light' : 'dark');
  }
}
