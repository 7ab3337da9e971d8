package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.NamespaceOptions;
import dev.holdfast.StorageKind;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** The storage of a namespace, as properties and annotations name it. */
class StorageNameTest {

  @Test
  void propertyNamesTheStorage() {
    HoldfastProperties properties =
        new Binder(
                new MapConfigurationPropertySource(
                    Map.of("holdfast.namespaces.carts.storage", "rocksdb")))
            .bind("holdfast", HoldfastProperties.class)
            .get();

    NamespaceOptions options = properties.namespaces().get("carts").over(NamespaceOptions.DEFAULT);
    assertThat(options.storage()).isEqualTo(StorageKind.ROCKSDB);
  }

  @DurableObject(value = "pairs", storage = "rocksdb", type = Runnable.class)
  private static final class Pairs implements Runnable {
    @Override
    public void run() {}
  }

  @Test
  void annotationNamesTheStorage() {
    assertThat(RegisteredObject.of(Pairs.class).storage()).isEqualTo(StorageKind.ROCKSDB);
  }
}
