package io.holdfast.docs;

record Payment(String id, long account, long amount) {
}
