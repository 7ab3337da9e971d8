package dev.holdfast.clone.codec;

import dev.holdfast.clone.CloneException;
import dev.holdfast.clone.JsValue;
import dev.holdfast.clone.codec.bytes.WireTag;
import dev.holdfast.clone.internal.Paths;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads maps and objects as a Java map. */
final class MapReader extends TypeReader {

  private final TypeReader keys;
  private final TypeReader values;
  private final Supplier<Map<@Nullable Object, @Nullable Object>> empty;

  MapReader(Class<?> type, TypeReader keys, TypeReader values) {
    super(type);
    this.keys = keys;
    this.values = values;
    this.empty = supplier(type);
  }

  private static Supplier<Map<@Nullable Object, @Nullable Object>> supplier(Class<?> type) {
    if (type == Map.class || type == LinkedHashMap.class || type == SequencedMap.class) {
      return LinkedHashMap::new;
    }
    if (type == HashMap.class) {
      return HashMap::new;
    }
    if (type == SortedMap.class || type == NavigableMap.class || type == TreeMap.class) {
      return TreeMap::new;
    }
    if (type == ConcurrentMap.class || type == ConcurrentHashMap.class) {
      return ConcurrentHashMap::new;
    }
    throw TypeReaders.unsupported(type);
  }

  @Override
  boolean isRebuilt() {
    return keys.isReadAsCopied(PassedType.none()) && values.isReadAsCopied(PassedType.none());
  }

  @Override
  @Nullable Object rebuilt(Object value) {
    if (!(value instanceof Map<?, ?> original) || value instanceof JsValue) {
      return null;
    }
    Map<@Nullable Object, @Nullable Object> rebuilt = empty.get();
    for (Map.Entry<?, ?> entry : original.entrySet()) {
      if (canChange(entry.getKey()) || canChange(entry.getValue())) {
        return null;
      }
      put(rebuilt, entry.getKey(), entry.getValue());
    }
    return rebuilt;
  }

  private static boolean canChange(@Nullable Object content) {
    return content != null && !ClassShape.of(content.getClass()).isImmutable();
  }

  @Override
  Object ofAbsent() {
    return empty.get();
  }

  @Override
  void requireReadable(Set<TypeReader> checked) {
    try {
      keys.requireReadable(checked);
    } catch (CloneException e) {
      throw e.within(".keys()");
    }
    try {
      values.requireReadable(checked);
    } catch (CloneException e) {
      throw e.within(".values()");
    }
  }

  @Override
  @Nullable Object read(Decoder in, int tag) {
    return switch (tag) {
      case WireTag.MAP -> readMap(in);
      case WireTag.OBJECT -> readObject(in);
      case WireTag.REFERENCE -> sameObject(in);
      case WireTag.NULL, WireTag.UNDEFINED -> null;
      default -> throw mismatch(tag);
    };
  }

  private Object readMap(Decoder in) {
    Map<@Nullable Object, @Nullable Object> map = in.add(empty.get());
    in.enter();
    long items = 0;
    while (in.in().peek() != WireTag.MAP_END) {
      Object key = readKey(in);
      put(map, key, readValue(in, key));
      items += 2;
    }
    in.in().skip(WireTag.MAP_END);
    in.expectCount(items, "keys and values");
    in.leave();
    return map;
  }

  private Object readObject(Decoder in) {
    Map<@Nullable Object, @Nullable Object> map = in.add(empty.get());
    in.enter();
    int properties = 0;
    while (in.in().peek() != WireTag.OBJECT_END) {
      Object key = keys.ofName(in.readName());
      put(map, key, readValue(in, key));
      properties++;
    }
    in.in().skip(WireTag.OBJECT_END);
    in.expectCount(properties, "properties");
    in.leave();
    return map;
  }

  private @Nullable Object readKey(Decoder in) {
    boolean leaf = keys.isLeaf();
    try {
      if (!leaf) {
        in.enterKey();
      }
      Object key = keys.read(in);
      if (!leaf) {
        in.leaveKey();
      }
      return key;
    } catch (CloneException e) {
      throw e.within(".keys()");
    }
  }

  private @Nullable Object readValue(Decoder in, @Nullable Object key) {
    try {
      return values.read(in);
    } catch (CloneException e) {
      throw e.within(Paths.entry(key));
    }
  }

  private void put(
      Map<@Nullable Object, @Nullable Object> map, @Nullable Object key, @Nullable Object value) {
    boolean twice;
    try {
      twice = map.containsKey(key);
      map.put(key, value);
    } catch (NullPointerException | ClassCastException e) {
      throw new CloneException("a " + type().getTypeName() + " refuses the entry: " + e, type(), e)
          .within(Paths.entry(key));
    }
    if (twice) {
      throw mismatch("a key twice").within(Paths.entry(key));
    }
  }
}
