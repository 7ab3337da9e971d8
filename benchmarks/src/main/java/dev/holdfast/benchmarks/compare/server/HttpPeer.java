package dev.holdfast.benchmarks.compare.server;

import dev.holdfast.benchmarks.compare.Peer;
import dev.holdfast.benchmarks.compare.Session;
import dev.holdfast.benchmarks.compare.Workload;
import dev.holdfast.benchmarks.compare.server.HttpSession.Request;
import dev.holdfast.benchmarks.compare.server.HttpSession.Requests;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Servers that keep the value of each object behind HTTP. */
public final class HttpPeer implements Peer {

  private final String name;
  private final String durability;
  private final int port;
  private final Requests requests;
  private final List<ServerProcess> processes;

  private HttpPeer(
      String name, String durability, int port, Requests requests, List<ServerProcess> processes) {
    this.name = name;
    this.durability = durability;
    this.port = port;
    this.requests = requests;
    this.processes = processes;
  }

  /** The requests of a server of ours, and of workerd with the worker of this project. */
  private static final class PathRequests implements Requests {
    @Override
    public Request put(String object, String value) {
      return new Request("PUT", "/" + object, "text/plain", value);
    }

    @Override
    public Request get(String object) {
      return new Request("GET", "/" + object, "", "");
    }
  }

  private static final class RestateRequests implements Requests {
    @Override
    public Request put(String object, String value) {
      return new Request(
          "POST", "/value/" + object + "/put", "application/json", "\"" + value + "\"");
    }

    @Override
    public Request get(String object) {
      return new Request("POST", "/value/" + object + "/get", "application/json", "null");
    }
  }

  /** Starts Holdfast behind the server that its HTTP services use. */
  public static HttpPeer holdfast(Path directory) throws Exception {
    int port = ServerProcess.freePort();
    ServerProcess server =
        ServerProcess.start(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                absolute(System.getProperty("java.class.path")),
                HoldfastHttpServer.class.getName(),
                "" + port,
                directory.resolve("data").toString()),
            Map.of(),
            directory);
    server.awaitPort(port);
    return new HttpPeer(
        "Holdfast over HTTP",
        "fdatasync of the journal before each reply; replies of one moment share it",
        port,
        new PathRequests(),
        List.of(server));
  }

  private static String absolute(String classPath) {
    return String.join(
        java.io.File.pathSeparator,
        java.util.Arrays.stream(classPath.split(java.io.File.pathSeparator))
            .map(each -> Path.of(each).toAbsolutePath().toString())
            .toList());
  }

  /** Starts workerd with a durable object in SQLite. */
  public static HttpPeer workerd(PeerFiles files, Path directory) throws Exception {
    int port = ServerProcess.freePort();
    Path data = directory.resolve("do-data");
    Files.createDirectories(data);
    ServerProcess server =
        ServerProcess.start(
            List.of(
                files.npm("@cloudflare/workerd-linux-64/bin/workerd").toString(),
                "serve",
                files.own("worker.capnp").toString(),
                "--socket-addr=http=127.0.0.1:" + port,
                "--directory-path=data=" + data,
                "--experimental"),
            Map.of(),
            directory);
    server.awaitPort(port);
    return new HttpPeer(
        "workerd",
        "the output gate holds the reply until SQLite has committed the object's own log",
        port,
        new PathRequests(),
        List.of(server));
  }

  /** Starts Restate and a service of Node.js with a virtual object. */
  public static HttpPeer restate(PeerFiles files, Path directory) throws Exception {
    int servicePort = ServerProcess.freePort();
    int ingress = ServerProcess.freePort();
    int admin = ServerProcess.freePort();
    ServerProcess service =
        ServerProcess.start(
            List.of("node", files.beside("restate.mjs").toString(), "" + servicePort),
            Map.of(),
            directory.resolve("service"));
    service.awaitPort(servicePort);
    ServerProcess server =
        ServerProcess.start(
            List.of(
                files.npm("@restatedev/restate-server-linux-x64/bin/restate-server").toString(),
                "--base-dir",
                directory.resolve("data").toString(),
                "--bind-ip",
                "127.0.0.1",
                "--bind-port",
                "" + ServerProcess.freePort(),
                "--listen-mode",
                "tcp",
                "--no-logo",
                "--node-name",
                "bench"),
            Map.of(
                "RESTATE_DISABLE_TELEMETRY",
                "true",
                "RESTATE_DEFAULT_NUM_PARTITIONS",
                "4",
                "RESTATE_INGRESS__BIND_PORT",
                "" + ingress,
                "RESTATE_ADMIN__BIND_PORT",
                "" + admin),
            directory.resolve("server"));
    server.awaitPort(admin);
    server.awaitPort(ingress);
    HttpPeer peer =
        new HttpPeer(
            "Restate",
            "its log server syncs RocksDB's log before a step counts; a call has several steps",
            ingress,
            new RestateRequests(),
            List.of(server, service));
    deploy(admin, servicePort);
    try (Session session = peer.session()) {
      session.put("warm", "up".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    return peer;
  }

  private static void deploy(int admin, int servicePort) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + admin + "/deployments"))
                  .header("Content-Type", "application/json")
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"uri\":\"http://127.0.0.1:" + servicePort + "\"}"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() >= 300) {
        throw new IOException("Restate does not take the service: " + answer.body());
      }
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Place place() {
    return Place.SERVER;
  }

  @Override
  public String durability() {
    return durability;
  }

  @Override
  public Set<Workload> workloads() {
    return EnumSet.complementOf(EnumSet.of(Workload.COLD_OBJECT));
  }

  @Override
  public Session session() throws IOException {
    return new HttpSession(port, requests);
  }

  @Override
  public long cpuNanos() {
    return processes.stream().mapToLong(ServerProcess::cpuNanos).sum();
  }

  @Override
  public void close() {
    processes.forEach(ServerProcess::close);
  }
}
