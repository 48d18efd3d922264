export function claudeEnvironment(home: string, url: string): Record<string, string>;
