package dev.holdfast.guide;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The examples of the guide compile, and that of the HTTP services runs; those of whole projects
 * run in {@link TutorialTest}.
 */
final class GuidePagesTest {

  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\n(.*?)^```$");

  /** What the examples omit. */
  private static final String EXAMPLES =
      """
      import dev.holdfast.*;
      import dev.holdfast.alarm.*;
      import dev.holdfast.embedded.*;
      import dev.holdfast.errors.*;
      import dev.holdfast.http.*;
      import dev.holdfast.http.server.*;
      import dev.holdfast.recovery.*;
      import dev.holdfast.sql.*;
      import dev.holdfast.storage.*;
      import java.nio.file.*;
      import java.time.*;
      import java.util.*;
      import java.util.concurrent.*;
      import dev.holdfast.InstanceResetException.WriteOutcome;

      abstract class Examples {
        interface Counter {
          long add(long delta);
        }

        interface Deposits {
          void deposit(String id, long cents);
        }

        record Settings(String theme, int size) {}

        ObjectContext context;
        ObjectRuntime runtime;

      %s
      }
      """;

  /** Asks the server of the example. */
  private static final String SERVED =
      """
      import dev.holdfast.*;
      import dev.holdfast.embedded.*;
      import dev.holdfast.http.*;
      import dev.holdfast.http.object.*;
      import dev.holdfast.http.server.*;
      import java.net.*;
      import java.net.http.*;
      import java.net.http.HttpRequest.BodyPublishers;
      import java.net.http.HttpResponse.BodyHandlers;
      import java.nio.file.*;
      import java.util.*;

      class Served {
        public static void main(String[] arguments) throws Exception {
      %s
        }

        static void ask(HttpApi api, String address) throws Exception {
          String zone = address + "/client/v4/zones/" + api.operator().createZone("example.com", Plan.PRO).id();
          String token = api.operator().createToken(List.of(), Permission.OF_ZONES);
          System.out.println(address);
          System.out.println(answer(token, "GET", address + "/healthz", ""));
          answer(token, "PUT", zone + "/page_monitor", "{'enabled':true}");
          System.out.println(answer(token, "POST", zone + "/page_monitor/headers",
              "{'url':'http://example.com/','response_headers':{'content-type':'text/html'}}"));
        }

        static String answer(String token, String method, String url, String body) throws Exception {
          HttpRequest request = HttpRequest.newBuilder(URI.create(url))
              .header("Authorization", "Bearer " + token)
              .method(method, BodyPublishers.ofString(body.replace('\\'', '"')))
              .build();
          return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
        }
      }
      """;

  @TempDir private Path directory;

  @Test
  void examplesCompile() throws IOException {
    StringBuilder members = new StringBuilder();
    List<String> blocks = blocks();
    for (int i = 0; i < blocks.size(); i++) {
      String block = blocks.get(i);
      boolean isMember = block.startsWith("record") || block.startsWith("static");
      members.append(
          isMember ? block : "void example%d() throws Exception {\n%s}\n".formatted(i, block));
    }

    assertThat(blocks).hasSizeGreaterThanOrEqualTo(4);
    assertThat(Examples.errors(EXAMPLES.formatted(members), directory)).isEmpty();
  }

  @Test
  void exampleOfTheHttpServicesServesAndNamesItsReportAddress() throws Exception {
    String example = blocks(Readme.ROOT.resolve("docs/guide/http.md")).getFirst();
    assertThat(Readme.read().blocks("java")).contains(example);
    String served =
        example
            .replace(
                "ServerOptions.DEFAULT",
                "ServerOptions.DEFAULT.withAddress(new InetSocketAddress(\"127.0.0.1\", 0))")
            .replace(
                "System.out.println(server.address());",
                "ask(new HttpApi(runtime, options),"
                    + " \"http://127.0.0.1:\" + server.address().getPort());");
    String holdfast = Readme.read().block("xml");
    OutsideProject project =
        new OutsideProject(
            directory, holdfast + holdfast.replace(">holdfast<", ">holdfast-http-server<"));
    project.source("Served.java", SERVED.formatted(served));
    project.compile();

    EndedProcess ended = project.java("--enable-native-access=ALL-UNNAMED", "Served");

    assertThat(ended.exitCode()).as(ended.toString()).isZero();
    List<String> said = ended.output().lines().toList();
    assertThat(said).hasSize(3);
    assertThat(said.get(1)).isEqualTo("{\"healthy\":true}");
    assertThat(said.get(2)).contains("report-uri " + said.get(0) + "/cdn-cgi/");
  }

  private static List<String> blocks() throws IOException {
    try (var pages = Files.list(Readme.ROOT.resolve("docs/guide"))) {
      return pages
          .filter(page -> page.toString().endsWith(".md"))
          .sorted()
          .flatMap(page -> blocks(page).stream())
          .filter(block -> !block.startsWith("package "))
          .toList();
    }
  }

  private static List<String> blocks(Path page) {
    try {
      return BLOCK.matcher(Files.readString(page)).results().map(block -> block.group(1)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
