package dev.holdfast.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectRuntime;
import dev.holdfast.RuntimeOptions;
import dev.holdfast.embedded.Holdfast;
import dev.holdfast.embedded.StoppedDirectory;
import dev.holdfast.operator.Operations;
import dev.holdfast.operator.OperatorConnection;
import dev.holdfast.operator.OperatorService;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pages show the same of a process, through its socket, and of a stopped directory. */
class ConsoleSourcesTest {

  private static final List<String> PAGES =
      List.of(
          "",
          "overview/live",
          "objects?namespace=notes",
          "object?namespace=notes&object=first",
          "object/time?namespace=notes&object=first",
          "object/time?namespace=notes&object=first&state=now",
          "journal/commit?position=1",
          "journal/growth",
          "activity",
          "alarms",
          "events",
          "archive",
          "journal",
          "statistics");

  @TempDir private Path directory;

  @Test
  void pagesShowAProcessThroughItsSocketAndAStoppedDirectory() throws Exception {
    try (ObjectRuntime runtime =
        Holdfast.open(
            directory,
            open -> {
              open.options(RuntimeOptions.DEFAULT.withOperatorSocket());
              open.namespace("notes", Notes.class, NotesObject::new);
            })) {
      runtime.namespace("notes", Notes.class).getByName("first").put("greeting", "hello");
      check(OperatorConnection.find(directory).orElseThrow());
    }
    try (StoppedDirectory stopped = StoppedDirectory.read(directory)) {
      check(new Operations(stopped.inspected()));
    }
  }

  private static void check(OperatorService operations) throws Exception {
    ConsoleOptions options =
        ConsoleOptions.DEFAULT.withAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    try (HoldfastConsole console = HoldfastConsole.start(operations, options)) {
      Browser browser = Browser.in(console.address(), console.newToken().orElseThrow());
      for (String page : PAGES) {
        HttpResponse<String> answer = browser.get(page);
        assertThat(answer.statusCode()).as(page + answer.body()).isEqualTo(200);
      }
      Matcher state =
          Pattern.compile("/(object/at\\?[^\"]*)")
              .matcher(browser.get("object/time?namespace=notes&object=first").body());
      assertThat(state.find()).isTrue();
      assertThat(browser.get(state.group(1).replace("&amp;", "&")).body()).contains("hello");
      assertThat(browser.get("journal/commit?position=1").body())
          .contains("greeting")
          .contains("hello");
      assertThat(browser.get("object?namespace=notes&object=first").body())
          .contains("greeting")
          .contains("hello");
      assertThat(browser.get("objects?namespace=notes").body()).contains(">first</a>");
    }
  }
}
