package dev.holdfast.guide;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of the documents and of the API's Javadoc compile. */
final class DocumentedExamplesTest {

  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\n(.*?)^```$");
  private static final Pattern SNIPPET = Pattern.compile("(?s)<pre>\\{@code\n(.*?)\\}</pre>");
  private static final Pattern MEMBER =
      Pattern.compile(
          "(@\\w+\\s*(\\([^)]*\\))?\\s*)*((public|private|static|final|sealed) .*"
              + "|(record|interface|class|enum|void) .*|Object \\w+\\(.*)",
          Pattern.DOTALL);

  private static final List<String> PAGES =
      List.of("events", "filters", "sql", "structured-clone", "testing");

  private static final List<String> SOURCES =
      List.of(
          "ObjectAdmin.java",
          "ObjectRuntime.java",
          "codec/Codec.java",
          "codec/TypeRef.java",
          "filter/ContextCarrier.java",
          "sql/JavaMigration.java");

  /** What the examples omit. */
  private static final String OMITTED =
      """
      import static org.assertj.core.api.Assertions.assertThat;

      import dev.holdfast.*;
      import dev.holdfast.InstanceResetException.WriteOutcome;
      import dev.holdfast.alarm.*;
      import dev.holdfast.clone.codec.*;
      import dev.holdfast.codec.*;
      import dev.holdfast.embedded.*;
      import dev.holdfast.errors.*;
      import dev.holdfast.event.*;
      import dev.holdfast.filter.*;
      import dev.holdfast.filter.ContextCarrier.Scope;
      import dev.holdfast.filter.ContextCarrier.TextForm;
      import dev.holdfast.jackson.*;
      import dev.holdfast.junit.*;
      import dev.holdfast.migration.*;
      import dev.holdfast.simulation.*;
      import dev.holdfast.sql.*;
      import dev.holdfast.storage.*;
      import dev.holdfast.value.*;
      import java.nio.file.Path;
      import java.security.Principal;
      import java.time.*;
      import java.util.*;
      import org.junit.jupiter.api.Test;
      import tools.jackson.databind.json.JsonMapper;

      /** What the examples omit. */
      abstract class Omitted {
        record Line(String name, long price) {}

        record Order(String number, List<Line> lines) {}

        record Shape(String form) {}

        record Customer(String name) {}

        interface Cart {
          void add(String article);

          List<String> lines();
        }

        record StoredCart(List<Line> lines) {}

        interface Purse {
          void fill(int coins);

          void give(String other, int coins);

          void settle();

          int coins();
        }

        interface Reminder {
          void remindIn(Duration delay);
        }

        static final class Money {
          static Money parse(String text) {
            return new Money();
          }
        }

        interface Metrics {
          void orderPlaced();
        }

        interface Screen {
          void show(Object value);
        }

        interface SearchIndex {
          void put(String object, Order order);

          void add(Order order);
        }

        interface Users {
          Principal byName(String name);
        }

        static class TransferScenario implements Scenario {
          @Override
          public void register(ObjectRegistrar objects) {}

          @Override
          public void run(Run run) {}

          @Override
          public void check(Run run) {}
        }

        static final class MDC {
          static Map<String, String> getCopyOfContextMap() {
            return Map.of();
          }

          static void setContextMap(Map<String, String> context) {}
        }

        static final class Tracing implements OutgoingFilter, CallFilter {
          Tracing(Object observations) {}

          @Override
          public Object filter(OutgoingCall call) throws Throwable {
            return call.proceed();
          }

          @Override
          public Object filter(DeliveredCall call) throws Throwable {
            return call.proceed();
          }
        }

        static final class LoggingContext implements ContextCarrier<Map<String, String>> {
          @Override
          public Map<String, String> capture() {
            return Map.of();
          }

          @Override
          public Scope set(Map<String, String> value) {
            return () -> {};
          }
        }

        static final class CartObject implements Cart {
          CartObject(ObjectContext context) {}

          @Override
          public void add(String article) {}

          @Override
          public List<String> lines() {
            return List.of();
          }
        }

        static final class PurseObject implements Purse {
          PurseObject(ObjectContext context) {}

          @Override
          public void fill(int coins) {}

          @Override
          public void give(String other, int coins) {}

          @Override
          public void settle() {}

          @Override
          public int coins() {
            return 0;
          }
        }

        ObjectContext context;
        TransactionalStorage storage;
        ObjectRuntime runtime;
        ObjectAdmin admin;
        ObjectRegistrar objects;
        ObjectId id;
        Instant time;
        Path directory;
        Path path;
        Object observations;
        Metrics metrics;
        Screen screen;
        SearchIndex searchIndex;
        SearchIndex index;
        Users users;
        JsonMapper mapper;
        String gate;

        abstract String begin();

        abstract void end(String span);

        abstract void end(Headers headers);

        abstract boolean mayCall(String tenant, Optional<String> name);

        abstract String user(DeliveredCall call);

        abstract Object authorize(DeliveredCall call) throws Throwable;

        abstract void show(MigrationReport report);

        abstract void restore(Map<String, String> context);

        static void send(String text) {}
      }

      """;

  @TempDir private Path classes;

  private final StringBuilder source = new StringBuilder(OMITTED);
  private int count;

  @Test
  void examplesCompile() throws IOException {
    for (String page : PAGES) {
      String text = Files.readString(Readme.ROOT.resolve("docs/" + page + ".md"));
      int before = count;
      BLOCK.matcher(text).results().forEach(block -> add(page, block.group(1)));
      assertThat(count).as(page).isGreaterThan(before);
    }
    Path api = Readme.ROOT.resolve("runtime-api/src/main/java/dev/holdfast");
    for (String name : SOURCES) {
      String text = Files.readString(api.resolve(name));
      int before = count;
      SNIPPET
          .matcher(text)
          .results()
          .forEach(block -> add(name, block.group(1).replaceAll("(?m)^ *\\* ?", "")));
      assertThat(count).as(name).isGreaterThan(before);
    }
    assertThat(Examples.errors(source.toString(), classes)).isEmpty();
  }

  /** Makes a class of an example: its declarations, and a method of the rest. */
  private void add(String place, String example) {
    StringBuilder members = new StringBuilder();
    StringBuilder statements = new StringBuilder();
    for (String part : parts(example)) {
      StringBuilder target = MEMBER.matcher(part).matches() ? members : statements;
      target.append(part).append('\n');
    }
    String body = statements.toString().strip();
    String end = body.isEmpty() || body.endsWith(";") || body.endsWith("}") ? "" : ";";
    source.append(
        "// %s\nabstract class Example%d extends Omitted {\n%s\nvoid run() throws Throwable {\n%s%s\n}\n}\n"
            .formatted(place, count++, members, body, end));
  }

  /** {@return what is between empty lines outside of all braces} */
  private static List<String> parts(String example) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    int depth = 0;
    for (String line : example.lines().toList()) {
      if (line.isBlank() && depth == 0 && !part.isEmpty()) {
        parts.add(part.toString());
        part.setLength(0);
      }
      depth += (int) line.chars().filter(c -> c == '{').count();
      depth -= (int) line.chars().filter(c -> c == '}').count();
      if (!part.isEmpty() || !line.isBlank()) {
        part.append(line).append('\n');
      }
      // Declarations may follow each other without an empty line.
      if (depth == 0 && line.equals("}")) {
        parts.add(part.toString());
        part.setLength(0);
      }
    }
    if (!part.isEmpty()) {
      parts.add(part.toString());
    }
    return parts;
  }
}
