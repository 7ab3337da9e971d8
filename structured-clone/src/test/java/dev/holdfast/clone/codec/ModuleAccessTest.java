package dev.holdfast.clone.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records in the module of an application: compiled here, because this module is not one. */
final class ModuleAccessTest {

  private static final StructuredClone CLONE = StructuredClone.standard();
  private static final byte[] OBJECT = CLONE.encode(new JsObject(Map.of("x", 1L)));

  @TempDir static Path directory;

  private static ClassLoader application;

  @BeforeAll
  static void compileApplication() throws IOException {
    write(
        "module-info.java",
        "module app { exports app.api; opens app.opened; exports app.shut to nobody; }");
    write("app/api/Point.java", "package app.api; public record Point(long x) {}");
    write("app/opened/Point.java", "package app.opened; record Point(long x) {}");
    write("app/shut/Point.java", "package app.shut; public record Point(long x) {}");
    write(
        "app/shut/Event.java",
        "package app.shut; public record Event(String name, java.time.Instant at) {}");
    write(
        "app/api/Make.java",
        "package app.api; public class Make {"
            + " public static Object point() { return new app.shut.Point(1); }"
            + " public static Object event() {"
            + " return new app.shut.Event(\"x\", java.time.Instant.EPOCH); } }");
    StringWriter log = new StringWriter();
    int status =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                new PrintWriter(log),
                new PrintWriter(log),
                "-d",
                directory.resolve("classes").toString(),
                directory.resolve("module-info.java").toString(),
                directory.resolve("app/api/Point.java").toString(),
                directory.resolve("app/opened/Point.java").toString(),
                directory.resolve("app/shut/Point.java").toString(),
                directory.resolve("app/shut/Event.java").toString(),
                directory.resolve("app/api/Make.java").toString());
    assertThat(status).as(log.toString()).isZero();
    ModuleLayer boot = ModuleLayer.boot();
    Configuration modules =
        boot.configuration()
            .resolve(
                ModuleFinder.of(directory.resolve("classes")), ModuleFinder.of(), Set.of("app"));
    application =
        ModuleLayer.defineModulesWithOneLoader(
                modules, List.of(boot), ClassLoader.getSystemClassLoader())
            .layer()
            .findLoader("app");
  }

  private static void write(String name, String source) throws IOException {
    Path file = directory.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, source);
  }

  private static Class<?> record(String name) throws ClassNotFoundException {
    return application.loadClass(name);
  }

  @Test
  void publicRecordOfAnExportedPackageNeedsNothingElse() throws ClassNotFoundException {
    Object point = CLONE.decode(OBJECT, record("app.api.Point"));
    assertThat(point).hasToString("Point[x=1]");
    assertThat(CLONE.encode(point)).isEqualTo(OBJECT);
  }

  @Test
  void anyRecordOfAnOpenedPackageIsAccessible() throws ClassNotFoundException {
    assertThat(CLONE.decode(OBJECT, record("app.opened.Point"))).hasToString("Point[x=1]");
  }

  /** A time is cut to the millisecond wherever it goes, which needs access to it. */
  @Test
  void recordOfAShutPackageIsCopiedIfItHasNoTime() throws ReflectiveOperationException {
    Object point = record("app.api.Make").getMethod("point").invoke(null);
    assertThat(CLONE.copy(point)).isSameAs(point);
    Object event = record("app.api.Make").getMethod("event").invoke(null);
    assertThatThrownBy(() -> CLONE.copy(event))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("record app.shut.Event is not accessible")
        .hasMessageContaining("\"opens app.shut to dev.holdfast.clone;\"");
  }

  @Test
  void recordOfAShutPackageIsRefusedWithWhatToAdd() {
    assertThatThrownBy(() -> CLONE.decode(OBJECT, record("app.shut.Point")))
        .isInstanceOf(CloneException.class)
        .hasMessageContaining("record app.shut.Point is not accessible")
        .hasMessageContaining("\"opens app.shut to dev.holdfast.clone;\"")
        .hasMessageContaining("module app");
  }
}
