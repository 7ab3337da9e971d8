package dev.holdfast.http.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Sites that say what they have received: one in this process, Node and nginx. */
final class Origins {

  /** The headers that an origin shows, joined by commas. */
  static final List<String> SHOWN =
      List.of(
          "cookie", "x-probe", "referer", "user-agent", "content-type", "host", "content-encoding");

  private static final Pattern LENGTH = Pattern.compile("\r\ncontent-length: (\\d+)\r\n");

  private static final String PROGRAM =
      """
      const server = require('http').createServer((q, s) => {
        const shown = process.argv[2].split(' ').map(name => {
          const lines = [];
          for (let i = 0; i < q.rawHeaders.length; i += 2)
            if (q.rawHeaders[i].toLowerCase() === name) lines.push(q.rawHeaders[i + 1]);
          return lines.join(', ');
        });
        const parts = [];
        q.on('data', part => parts.push(part));
        q.on('end', () => {
          const body = Buffer.concat(parts).toString('latin1');
          const line = [q.method, q.url, ...shown, body].join('\\t') + '\\n';
          process.stdout.write(Buffer.from(line, 'latin1'));
          s.setHeader('Connection', 'close');
          s.end('ok');
        });
      });
      server.listen(0, '127.0.0.1', () => console.log('port ' + server.address().port));
      """;

  private static final String CONFIGURATION =
      """
      daemon off;
      worker_processes 1;
      error_log stderr emerg;
      pid %1$s/nginx.pid;
      events { worker_connections 512; }
      http {
        log_format shown escape=none "$request_method\\t$request_uri\\t%2$s\\t$request_body";
        access_log /dev/stdout shown;
        client_body_temp_path %1$s/a; proxy_temp_path %1$s/b; fastcgi_temp_path %1$s/c;
        uwsgi_temp_path %1$s/d; scgi_temp_path %1$s/e;
        large_client_header_buffers 8 64k;
        client_body_buffer_size 1m;
        server {
          listen 127.0.0.1:%3$d;
          location / { proxy_pass http://127.0.0.1:%3$d/answer/; } # else the body is not read
          location /answer/ { access_log off; return 200 "ok"; }
        }
      }
      """;

  private Origins() {}

  /** What an origin has received. */
  record Received(String method, String target, Map<String, String> headers, String body) {

    private static Received of(String line) {
      String[] parts = line.split("\t", -1);
      Map<String, String> headers = new LinkedHashMap<>();
      for (int i = 0; i < SHOWN.size(); i++) {
        headers.put(SHOWN.get(i), parts[2 + i]);
      }
      return new Received(parts[0], parts[1], headers, parts[2 + SHOWN.size()]);
    }
  }

  /** A running site. */
  interface Origin extends AutoCloseable {
    int port();

    /** Whether it shows all lines of a header that is repeated. */
    default boolean showsAllLines() {
      return true;
    }

    /** Waits for the next request. */
    Received next();

    @Override
    void close();
  }

  /** Answers in this process. */
  static Origin inProcess() throws IOException {
    RawOrigin origin = new RawOrigin();
    BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    origin.onAll(
        (head, in, out) -> {
          received.add(read(head, in));
          RawOrigin.write(out, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        });
    return new Origin() {
      @Override
      public int port() {
        return origin.port();
      }

      @Override
      public Received next() {
        try {
          return received.take();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }

      @Override
      public void close() {
        assertThat(received).isEmpty();
        origin.close();
      }
    };
  }

  private static Received read(String head, InputStream in) throws IOException {
    String[] lines = head.strip().split("\r\n");
    String[] first = lines[0].split(" ", 3);
    Map<String, String> headers = new LinkedHashMap<>();
    SHOWN.forEach(name -> headers.put(name, ""));
    for (int i = 1; i < lines.length; i++) {
      String[] halves = lines[i].split(":", 2);
      headers.computeIfPresent(
          halves[0].toLowerCase(Locale.ROOT),
          (name, before) ->
              before.isEmpty() ? halves[1].strip() : before + ", " + halves[1].strip());
    }
    return new Received(first[0], first[1], headers, body(head.toLowerCase(Locale.ROOT), in));
  }

  private static String body(String head, InputStream in) throws IOException {
    StringBuilder body = new StringBuilder();
    if (head.contains("\r\ntransfer-encoding: chunked\r\n")) {
      String chunk;
      do {
        chunk = RawOrigin.chunk(in);
        body.append(chunk);
      } while (!chunk.isEmpty());
    }
    Matcher length = LENGTH.matcher(head);
    if (length.find()) {
      byte[] bytes = in.readNBytes(Integer.parseInt(length.group(1)));
      body.append(new String(bytes, StandardCharsets.ISO_8859_1));
    }
    return body.toString();
  }

  /** Starts Node; empty if this machine has none. */
  static Optional<Origin> node(Path directory) throws IOException {
    Optional<Path> node = program("node");
    if (node.isEmpty()) {
      return Optional.empty();
    }
    Path program = Files.writeString(directory.resolve("shown.cjs"), PROGRAM);
    Process process =
        new ProcessBuilder(node.get().toString(), program.toString(), String.join(" ", SHOWN))
            .redirectErrorStream(true)
            .start();
    BufferedReader said = said(process);
    String first = said.readLine();
    assertThat(first).startsWith("port ");
    return Optional.of(process(process, said, Integer.parseInt(first.substring(5)), true));
  }

  /** Starts nginx; empty if this machine has none. */
  static Optional<Origin> nginx(Path directory) throws IOException {
    Optional<Path> nginx = program("nginx");
    if (nginx.isEmpty()) {
      return Optional.empty();
    }
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String shown =
        String.join("\\t", SHOWN.stream().map(name -> "$http_" + name.replace('-', '_')).toList());
    Path configuration =
        Files.writeString(
            directory.resolve("nginx.conf"),
            CONFIGURATION.formatted(directory.toAbsolutePath(), shown, port));
    Process process =
        new ProcessBuilder(
                nginx.get().toString(),
                "-p",
                directory.toAbsolutePath().toString(),
                "-c",
                configuration.toAbsolutePath().toString())
            .redirectErrorStream(true)
            .start();
    Origin origin = process(process, said(process), port, false);
    awaitPort(process, port);
    return Optional.of(origin);
  }

  /** It says nothing when it listens. */
  private static void awaitPort(Process process, int port) {
    while (true) {
      try (java.net.Socket socket = new java.net.Socket(InetAddress.getLoopbackAddress(), port)) {
        assertThat(socket.isConnected()).isTrue();
        return;
      } catch (IOException notYet) {
        assertThat(process.isAlive()).as("nginx has ended").isTrue();
        Thread.onSpinWait();
      }
    }
  }

  private static BufferedReader said(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.ISO_8859_1));
  }

  private static Origin process(
      Process process, BufferedReader said, int port, boolean showsAllLines) {
    return new Origin() {
      @Override
      public boolean showsAllLines() {
        return showsAllLines;
      }

      @Override
      public int port() {
        return port;
      }

      @Override
      public Received next() {
        try {
          return Received.of(String.valueOf(said.readLine()));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }

      @Override
      public void close() {
        process.destroy();
        process.onExit().join();
      }
    };
  }

  private static Optional<Path> program(String name) {
    return Stream.of((System.getenv("PATH") + ":/usr/sbin").split(File.pathSeparator, -1))
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
