package dev.holdfast.system.architecture;

import static java.util.stream.Collectors.toUnmodifiableMap;
import static java.util.stream.Collectors.toUnmodifiableSet;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Every Holdfast module on the class path of this test: its descriptor and its classes. */
final class HoldfastModules {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  /** Read once: the classes are many. */
  private static final HoldfastModules ON_CLASS_PATH = find();

  private final Map<String, ModuleReference> references;
  private final Map<String, String> moduleOfPackage;
  private final JavaClasses classes;

  private HoldfastModules(Map<String, ModuleReference> references) {
    this.references = references;
    this.moduleOfPackage =
        references.values().stream()
            .map(ModuleReference::descriptor)
            .flatMap(d -> d.packages().stream().map(p -> Map.entry(p, d.name())))
            .collect(toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    this.classes =
        new ClassFileImporter()
            .importLocations(references.values().stream().map(HoldfastModules::location).toList());
  }

  static HoldfastModules onClassPath() {
    return ON_CLASS_PATH;
  }

  private static HoldfastModules find() {
    Path[] entries =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(Path::of)
            .filter(HoldfastModules::isHoldfast)
            .toArray(Path[]::new);
    return new HoldfastModules(
        ModuleFinder.of(entries).findAll().stream()
            .filter(r -> !r.descriptor().isAutomatic()) // junit has no descriptor
            .collect(toUnmodifiableMap(r -> r.descriptor().name(), r -> r)));
  }

  /** In the reactor: {@code <module>/target/classes}, or the jar beside it when it is packaged. */
  private static boolean isHoldfast(Path entry) {
    return entry.endsWith(Path.of("target", "classes"))
        || entry.getFileName().toString().startsWith("holdfast");
  }

  Set<String> names() {
    return references.keySet();
  }

  ModuleDescriptor descriptor(String module) {
    ModuleReference reference = references.get(module);
    if (reference == null) {
      throw new IllegalArgumentException("no module " + module + " among " + names());
    }
    return reference.descriptor();
  }

  /** The directory of a module, from the root of the tree: {@code proof/contract}. */
  Path directory(String module) {
    Path output = Path.of(references.get(module).location().orElseThrow());
    return ROOT.relativize(output.getParent().getParent());
  }

  JavaClasses classes() {
    return classes;
  }

  /** The module that holds a class; empty for classes of the JDK and of libraries. */
  Optional<String> moduleOf(JavaClass type) {
    return Optional.ofNullable(moduleOfPackage.get(type.getBaseComponentType().getPackageName()));
  }

  /** The names of the class files in a module, except its descriptor. */
  Set<String> classFiles(String module) {
    try (var reader = references.get(module).open();
        var names = reader.list()) {
      return names
          .filter(name -> name.endsWith(".class") && !name.equals("module-info.class"))
          .map(name -> name.substring(0, name.length() - ".class".length()).replace('/', '.'))
          .collect(toUnmodifiableSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Location location(ModuleReference reference) {
    URI uri = reference.location().orElseThrow();
    boolean folder = Files.isDirectory(Path.of(uri));
    return Location.of(folder ? uri : URI.create("jar:" + uri + "!/"));
  }
}
