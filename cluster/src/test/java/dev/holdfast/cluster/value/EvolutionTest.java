package dev.holdfast.cluster.value;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ObjectId;
import dev.holdfast.clone.StructuredCloneException;
import dev.holdfast.clone.codec.StructuredClone;
import dev.holdfast.cluster.frame.Value;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The table of {@code docs/evolution.md}: two versions of each class are compiled, and values are
 * stored and passed in both directions. The rows of the page are those that this test computes.
 */
final class EvolutionTest {

  private static final String PAGE = "../docs/records/promises/evolution.md";
  private static final String BEGIN = "<!-- rows of EvolutionTest -->";
  private static final String END = "<!-- end of rows -->";

  /**
   * A change.
   *
   * @param before the class in the version before
   * @param after the class in the version after
   * @param old a value of the version before
   * @param young a value of the version after
   */
  private record Change(String name, String before, String after, String old, String young) {}

  private static Change line(String name, String before, String after, String old, String young) {
    return new Change(
        name,
        "record Line(" + before + ") {}",
        "record Line(" + after + ") {}",
        "new Line(" + old + ")",
        "new Line(" + young + ")");
  }

  private static Change line(
      String name, String annotation, String before, String after, String old, String young) {
    return new Change(
        name,
        "record Line(" + before + ") {}",
        annotation + " record Line(" + after + ") {}",
        "new Line(" + old + ")",
        "new Line(" + young + ")");
  }

  private static Change state(String name, String before, String after, String old, String young) {
    return new Change(
        name,
        "enum State { " + before + " }",
        "enum State { " + after + " }",
        "State." + old,
        "State." + young);
  }

  private static Change pay(String name, String before, String after, String old, String young) {
    return new Change(
        name,
        "sealed interface Pay { " + before + " }",
        "sealed interface Pay { " + after + " }",
        "new Pay." + old,
        "new Pay." + young);
  }

  private static final String CASH = "record Cash(long cents) implements Pay {}";
  private static final String CARD = "record Card(String number) implements Pay {}";
  private static final String OTHER = "@Fallback record Other(Object stored) implements Pay {}";

  private static final List<Change> CHANGES =
      List.of(
          line("Component added", "String a", "String a, String b", "\"x\"", "\"x\", \"y\""),
          line(
              "Collection added",
              "String a",
              "String a, List<String> b",
              "\"x\"",
              "\"x\", List.of(\"y\")"),
          line("Primitive added", "String a", "String a, int b", "\"x\"", "\"x\", 2"),
          line(
              "Primitive added, with its default",
              "String a",
              "String a, @Default(\"1\") int b",
              "\"x\"",
              "\"x\", 2"),
          line("Component removed", "String a, String b", "String a", "\"x\", \"y\"", "\"x\""),
          line(
              "Component removed and named",
              "@Ignored(\"b\")",
              "String a, String b",
              "String a",
              "\"x\", \"y\"",
              "\"x\""),
          line(
              "Primitive removed",
              "@Ignored(\"b\")",
              "String a, int b",
              "String a",
              "\"x\", 2",
              "\"x\""),
          line(
              "Primitive removed that had a default",
              "@Ignored(\"b\")",
              "String a, @Default(\"1\") int b",
              "String a",
              "\"x\", 2",
              "\"x\""),
          line("Component renamed", "String a", "String b", "\"x\"", "\"x\""),
          line(
              "Component renamed, with its old name",
              "String a",
              "@Alias(\"a\") String b",
              "\"x\"",
              "\"x\""),
          line(
              "Component renamed in two releases",
              "@Alias(\"b\") String a",
              "@Alias(\"a\") String b",
              "\"x\"",
              "\"x\""),
          line("Type widened", "int a", "long a", "2", "5_000_000_000L"),
          line("Type changed to another kind", "int a", "String a", "2", "\"x\""),
          line("Type made optional", "String a", "Optional<String> a", "\"x\"", "Optional.empty()"),
          state("Constant added", "OPEN", "OPEN, PAID", "OPEN", "PAID"),
          state(
              "Constant added, with a fallback before",
              "OPEN, @Fallback UNKNOWN",
              "OPEN, PAID, @Fallback UNKNOWN",
              "OPEN",
              "PAID"),
          state("Constant removed", "OPEN, PAID", "OPEN", "PAID", "OPEN"),
          state(
              "Constant removed, with a fallback",
              "OPEN, PAID",
              "OPEN, @Fallback UNKNOWN",
              "PAID",
              "OPEN"),
          state("Constant renamed", "OPEN", "BEGUN", "OPEN", "BEGUN"),
          state(
              "Constant renamed in two releases",
              "@Alias(\"BEGUN\") OPEN",
              "@Alias(\"OPEN\") BEGUN",
              "OPEN",
              "BEGUN"),
          pay("Class of a sealed type added", CASH, CASH + " " + CARD, "Cash(5)", "Card(\"1\")"),
          pay(
              "Class added, with a fallback before",
              CASH + " " + OTHER,
              CASH + " " + CARD + " " + OTHER,
              "Cash(5)",
              "Card(\"1\")"),
          pay("Class of a sealed type removed", CASH + " " + CARD, CASH, "Card(\"1\")", "Cash(5)"),
          pay(
              "Class removed, with a fallback",
              CASH + " " + CARD,
              CASH + " " + OTHER,
              "Card(\"1\")",
              "Cash(5)"),
          pay(
              "Class of a sealed type renamed",
              CASH,
              CASH.replace("Cash", "Coins"),
              "Cash(5)",
              "Coins(5)"),
          pay(
              "Class renamed, with its tag",
              CASH,
              "@Tag(\"Cash\") " + CASH.replace("Cash", "Coins"),
              "Cash(5)",
              "Coins(5)"));

  private static final ObjectId ID = ObjectId.of(new byte[32], "one");

  /** Values have no addresses here. */
  private static final References REFERENCES =
      new References() {
        @Override
        public @Nullable Value addressOf(Object value) {
          return null;
        }

        @Override
        public Object resolve(Value address) throws UnreadableValueException {
          throw new UnreadableValueException("no address", null);
        }
      };

  private static ClassLoader before = ClassLoader.getSystemClassLoader();
  private static ClassLoader after = ClassLoader.getSystemClassLoader();

  @BeforeAll
  static void compile() throws Exception {
    List<JavaFileObject> old = new ArrayList<>();
    List<JavaFileObject> young = new ArrayList<>();
    for (int i = 0; i < CHANGES.size(); i++) {
      Change change = CHANGES.get(i);
      old.addAll(sources(i, change.before(), change.old()));
      young.addAll(sources(i, change.after(), change.young()));
    }
    before = new Compiled(old);
    after = new Compiled(young);
  }

  /** Two files: the class, and an interface whose method takes a list of its values. */
  private static List<JavaFileObject> sources(int number, String declared, String value) {
    String name = declared.replaceAll("(?s).*?(record|enum|interface) (\\w+).*", "$2");
    String head = "package app.r" + number + "; import dev.holdfast.value.*; import java.util.*; ";
    return List.of(
        new Source("app/r" + number + "/" + name, head + "public " + declared),
        new Source(
            "app/r" + number + "/Shop",
            head
                + "public interface Shop { List<"
                + name
                + "> pass(List<"
                + name
                + "> values); static Object value() { return "
                + value
                + "; } static Class<?> type() { return "
                + name
                + ".class; } }"));
  }

  /** The source of a class. */
  private static final class Source extends SimpleJavaFileObject {

    private final String text;

    Source(String path, String text) {
      super(URI.create("string:///" + path + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      // Annotations come before the modifier.
      return text.replaceAll("public ((@\\w+(\\([^)]*\\))? )+)", "$1public ");
    }
  }

  /** The classes of one version of the application. */
  private static final class Compiled extends ClassLoader {

    private final Map<String, ByteArrayOutputStream> classes = new HashMap<>();

    Compiled(List<JavaFileObject> sources) throws IOException {
      super(EvolutionTest.class.getClassLoader());
      var compiler = ToolProvider.getSystemJavaCompiler();
      try (JavaFileManager files =
          new ForwardingJavaFileManager<JavaFileManager>(
              compiler.getStandardFileManager(null, null, null)) {
            @Override
            public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
              return new SimpleJavaFileObject(URI.create("memory:///" + name), kind) {
                @Override
                public OutputStream openOutputStream() {
                  ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                  classes.put(name, bytes);
                  return bytes;
                }
              };
            }
          }) {
        String path = System.getProperty("java.class.path");
        String modules = System.getProperty("jdk.module.path");
        List<String> options =
            List.of(
                "-proc:none",
                "-classpath",
                modules == null ? path : path + System.getProperty("path.separator") + modules);
        assertThat(compiler.getTask(null, files, null, options, null, sources).call()).isTrue();
      }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      ByteArrayOutputStream bytes = classes.get(name);
      if (bytes == null) {
        throw new ClassNotFoundException(name);
      }
      return defineClass(name, bytes.toByteArray(), 0, bytes.size());
    }

    Object call(int number, String method) throws ReflectiveOperationException {
      return loadClass("app.r" + number + ".Shop").getMethod(method).invoke(null);
    }
  }

  private static String stored(int number, ClassLoader from, ClassLoader to) throws Exception {
    byte[] bytes =
        StructuredClone.standard().encodeReadable(((Compiled) from).call(number, "value"));
    try {
      return "`"
          + StructuredClone.standard()
              .decode(bytes, (Class<?>) ((Compiled) to).call(number, "type"))
          + "`";
    } catch (StructuredCloneException e) {
      return "refused";
    }
  }

  private static RemoteMethod pass(int number, ClassLoader version) throws Exception {
    Class<?> shop = version.loadClass("app.r" + number + ".Shop");
    return new RemoteInterface("shops", shop, StructuredClone.standard(), REFERENCES)
        .method("pass(java.util.List)")
        .orElseThrow();
  }

  /** Passes a value in a list, as the argument and as the result of a call. */
  private static String passed(int number, ClassLoader from, ClassLoader to) throws Exception {
    List<Object> value = List.of(((Compiled) from).call(number, "value"));
    RemoteMethod sender = pass(number, from);
    RemoteMethod receiver = pass(number, to);
    String argument;
    String result;
    try {
      argument =
          String.valueOf(
              receiver.readArguments(sender.writeArguments(ID, new Object[] {value}))[0]);
    } catch (UnreadableValueException e) {
      argument = "[refused]";
    }
    try {
      result = String.valueOf(receiver.readResult(sender.writeResult(ID, value)));
    } catch (UnreadableValueException e) {
      result = "[refused]";
    }
    assertThat(argument).isEqualTo(result);
    String one = argument.substring(1, argument.length() - 1);
    return one.equals("refused") ? one : "`" + one + "`";
  }

  private static String row(int number) throws Exception {
    Change change = CHANGES.get(number);
    return "| "
        + String.join(
            " | ",
            change.name(),
            "`" + change.before() + "`",
            "`" + change.after() + "`",
            stored(number, before, after),
            stored(number, after, before),
            passed(number, before, after),
            passed(number, after, before))
        + " |";
  }

  @Test
  void pageHasWhatHappensToEachValue() throws Exception {
    StringBuilder rows = new StringBuilder();
    for (int i = 0; i < CHANGES.size(); i++) {
      rows.append(row(i)).append('\n');
    }
    String page = Files.readString(Path.of(PAGE));
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    assertThat(begin).isNotNegative().isLessThan(end);
    String table = page.substring(begin + BEGIN.length(), end).strip();
    // Two lines are the head of the table.
    assertThat(table.lines().skip(2).toList()).isEqualTo(rows.toString().lines().toList());
  }

  @Test
  void valueWhoseClassIsNotKnownIsWrittenAgainAsItWas() throws Exception {
    int number = -1;
    for (int i = 0; i < CHANGES.size(); i++) {
      number = CHANGES.get(i).name().equals("Class removed, with a fallback") ? i : number;
    }
    StructuredClone clone = StructuredClone.standard();
    byte[] bytes = clone.encodeReadable(((Compiled) before).call(number, "value"));
    Object read = clone.decode(bytes, (Class<?>) ((Compiled) after).call(number, "type"));
    assertThat(clone.encodeReadable(Objects.requireNonNull(read))).isEqualTo(bytes);
  }
}
