package io.holdfast.docs;

record Order(String id) {
}
