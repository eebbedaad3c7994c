/** AWS's own DynamoDB Local, whose conditional writes and transactions are those of DynamoDB. Needs Java and, once, Maven. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { need } from './python-program.ts';
import { freePort, type Server, startServer } from './server.ts';

const POM = join(import.meta.dirname, 'dynamodb-local', 'pom.xml');
const VERSION = '2.6.1';

export interface DynamoDbLocal extends Server {
  readonly endpoint: string;
}

export async function startDynamoDbLocal(cache: string, folder: string): Promise<DynamoDbLocal> {
  const jars = install(cache);
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const main = 'com.amazonaws.services.dynamodbv2.local.main.ServerRunner';
  const server = await startServer({
    name: 'dynamodb-local',
    command: [
      'java',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      '-Xmx256m',
      `-Dsqlite4java.library.path=${jars}`,
      '-cp',
      join(jars, '*'),
      main,
      '-inMemory',
      '-sharedDb',
      '-disableTelemetry',
      '-port',
      String(port),
    ],
    folder,
    ready: endpoint,
  });
  return { ...server, endpoint };
}

/** *Shape:* the folder of its jars and of the native library for its storage. */
function install(cache: string): string {
  const home = join(cache, `dynamodb-local-${VERSION}`);
  const jars = join(home, 'jars');
  const complete = join(home, 'complete');
  need('java', ['-version'], 'java is missing: install a Java runtime, 17 or newer (Debian: openjdk-17-jre-headless)');
  if (existsSync(complete)) return jars;
  need('mvn', ['--version'], 'mvn is missing: install Maven 3.8 or newer (Debian: maven)');
  rmSync(home, { recursive: true, force: true });
  mkdirSync(jars, { recursive: true });
  const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
  need(
    'mvn',
    ['--batch-mode', '--quiet', '--file', POM, copy, `-DoutputDirectory=${jars}`],
    `mvn cannot get DynamoDB Local ${VERSION} from its repository`,
  );
  writeFileSync(complete, '');
  return jars;
}
